import { IsNameParameter, MayBeOmitted } from '../../../edge/validation/decorators.js';
import { LENGTHS } from '../../../edge/validation/lengths.js';
import { IsEventId, PageQuery } from '../../../edge/validation/query-dtos.js';
import { QueryStringDto, validated } from '../../../edge/validation/validate.js';

/** `GET /runs/{run_id}/events`, `GET /sessions/{session}/events` */
export class EventsQuery extends PageQuery {
  /** Exclusive. */
  @MayBeOmitted()
  @IsEventId()
  readonly after?: number;

  /** Of a browser, which cannot send headers with an `EventSource`. Whoever comes in was asked for it already. */
  @MayBeOmitted()
  @IsNameParameter(LENGTHS.cursor)
  readonly token?: string;
}

class LastEventIdDto extends QueryStringDto {
  @IsEventId()
  readonly 'Last-Event-ID'!: number;
}

/** `Last-Event-ID`. @throws Problem invalid_request naming the header */
export function parseLastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  return validated(LastEventIdDto, { 'Last-Event-ID': String(header) })['Last-Event-ID'];
}

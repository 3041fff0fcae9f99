import type { FastifyRequest } from 'fastify';
import { invalid } from '#domain';
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

/**
 * After which event is asked for; undefined: from the start. `Last-Event-ID` is what a reconnecting EventSource sends, so it
 * counts more than the URL that it was opened with. @throws Problem invalid_request naming what is none
 */
export function afterOf({ after, cursor }: EventsQuery, request: FastifyRequest): number | undefined {
  const header = parseLastEventId(request.headers['last-event-id']);
  if (cursor === undefined) return header ?? after;
  if (!/^\d{1,15}$/.test(cursor)) throw invalid('cursor', 'is not a cursor of this list');
  return Number(cursor);
}

/** `Last-Event-ID`. @throws Problem invalid_request naming the header */
export function parseLastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  return validated(LastEventIdDto, { 'Last-Event-ID': String(header) })['Last-Event-ID'];
}

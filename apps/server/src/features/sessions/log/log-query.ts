import { IsInt, Max, Min } from 'class-validator';
import type { RunId } from '#domain';
import { FromDigits, IsNameParameter, MayBeOmitted } from '../../../edge/validation/decorators.js';
import { EventsQuery } from '../../runs/shared/events-query.js';

const DEFAULT_INLINE = 16_384;
/** What an event may be long at most. */
const MAX_INLINE = 262_144;
const A_LENGTH = { message: `must be a whole number of characters from 0 to ${MAX_INLINE}` };

/** `GET /sessions/{session}/log` */
export class LogQuery extends EventsQuery {
  @MayBeOmitted()
  @IsNameParameter()
  readonly run?: RunId;

  /** Longer texts are left out. */
  @FromDigits()
  @IsInt(A_LENGTH)
  @Min(0, A_LENGTH)
  @Max(MAX_INLINE, A_LENGTH)
  readonly inline: number = DEFAULT_INLINE;
}

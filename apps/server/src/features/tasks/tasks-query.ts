import { IsIn } from 'class-validator';
import type { SessionId } from '#domain';
import { IsNameParameter, MayBeOmitted } from '../../edge/validation/decorators.js';
import { PageQuery } from '../../edge/validation/query-dtos.js';

/** `GET /tasks` */
export class TasksQuery extends PageQuery {
  @MayBeOmitted()
  @IsNameParameter()
  readonly session?: SessionId;

  @MayBeOmitted()
  @IsIn(['scheduled', 'paused', 'finished', 'cancelled'])
  readonly status?: 'scheduled' | 'paused' | 'finished' | 'cancelled';
}

import { IsIn } from 'class-validator';
import type { ActionKind, RunId, SessionId } from '#domain';
import type { ActionStatus } from '#read-models';
import { IsNameParameter, MayBeOmitted } from '../../edge/validation/decorators.js';
import { PageQuery } from '../../edge/validation/query-dtos.js';

/** `GET /actions` */
export class ActionsQuery extends PageQuery {
  @MayBeOmitted()
  @IsNameParameter()
  readonly session?: SessionId;

  @MayBeOmitted()
  @IsNameParameter()
  readonly run?: RunId;

  @MayBeOmitted()
  @IsIn(['approval', 'tool', 'budget', 'tool_servers', 'input'])
  readonly kind?: ActionKind;

  @MayBeOmitted()
  @IsIn(['open', 'resolved', 'expired', 'cancelled'])
  readonly status?: ActionStatus;
}

import { IsIn } from 'class-validator';
import { RUN_STATUSES, type RunStatus } from '#projections';
import { MayBeOmitted } from '../../edge/validation/decorators.js';
import { IsTimeParameter, PageQuery } from '../../edge/validation/query-dtos.js';

/** `GET /sessions` */
export class SessionsQuery extends PageQuery {
  @MayBeOmitted()
  @IsIn(RUN_STATUSES)
  readonly status?: RunStatus;

  @MayBeOmitted()
  @IsTimeParameter()
  readonly from?: number;

  @MayBeOmitted()
  @IsTimeParameter()
  readonly to?: number;
}

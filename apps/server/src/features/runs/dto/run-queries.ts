import { IsIn } from 'class-validator';
import { RUN_STATUSES, type RunStatus } from '#projections';
import type { RunMetadata, SessionId } from '#domain';
import {
  FromPrefixed,
  IsNameParameter,
  MayBeOmitted,
  Satisfies,
} from '../../../edge/validation/decorators.js';
import { IsTimeParameter, MomentQuery, PageQuery } from '../../../edge/validation/query-dtos.js';
import { QueryStringDto } from '../../../edge/validation/validate.js';
import { runMetadata } from './run-metadata.js';

/** `POST /` */
export class RunQuery extends QueryStringDto {
  @MayBeOmitted()
  @IsNameParameter()
  readonly session?: SessionId;
}

/** `POST /get-messages` */
export class MessagesQuery extends MomentQuery {
  @IsNameParameter()
  readonly session!: SessionId;
}

/** `POST /clear-messages` */
export class SessionQuery extends QueryStringDto {
  @IsNameParameter()
  readonly session!: SessionId;
}

/** `GET /runs` */
export class RunsQuery extends PageQuery {
  @MayBeOmitted()
  @IsNameParameter()
  readonly session?: SessionId;

  @MayBeOmitted()
  @IsIn(RUN_STATUSES)
  readonly status?: RunStatus;

  @MayBeOmitted()
  @IsTimeParameter()
  readonly from?: number;

  @MayBeOmitted()
  @IsTimeParameter()
  readonly to?: number;

  /** `metadata.KEY=VALUE` */
  @MayBeOmitted()
  @FromPrefixed()
  @Satisfies('isRunMetadata', runMetadata)
  readonly metadata?: RunMetadata;
}

import { IsIn } from 'class-validator';
import { DELIVERY_STATUSES, type DeliveryStatus, type RunId, type SessionId } from '#domain';
import { IsNameParameter, IsTime, MayBeOmitted } from '../../edge/validation/decorators.js';
import { IsTimeParameter, PageQuery } from '../../edge/validation/query-dtos.js';
import { timeOf } from '../../edge/validation/rules.js';

/** `GET /deliveries` */
export class DeliveriesQuery extends PageQuery {
  @MayBeOmitted()
  @IsIn(DELIVERY_STATUSES)
  readonly status?: DeliveryStatus;

  @MayBeOmitted()
  @IsNameParameter()
  readonly session?: SessionId;

  @MayBeOmitted()
  @IsNameParameter()
  readonly run?: RunId;

  @MayBeOmitted()
  @IsTimeParameter()
  readonly from?: number;

  @MayBeOmitted()
  @IsTimeParameter()
  readonly to?: number;
}

/** `POST /deliveries/resend` */
export class ResendDto {
  @IsIn(['failed', 'stopped'])
  readonly status!: 'failed' | 'stopped';

  @MayBeOmitted()
  @IsTime()
  readonly from?: string;

  @MayBeOmitted()
  @IsTime()
  readonly to?: string;
}

/** Whose events are meant, ms since 1970. */
export const periodOf = ({ from, to }: ResendDto): { from?: number; to?: number } => ({
  ...(from === undefined ? {} : { from: timeOf(from) ?? 0 }),
  ...(to === undefined ? {} : { to: timeOf(to) ?? 0 }),
});

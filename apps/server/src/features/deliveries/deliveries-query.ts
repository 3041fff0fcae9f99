import { IsIn } from 'class-validator';
import { DELIVERY_STATUSES, type DeliveryStatus, type RunId, type SessionId } from '#domain';
import { IsText, MayBeOmitted, IsNameParameter, Satisfies } from '../../edge/validation/decorators.js';
import { IsTimeParameter, PageQuery } from '../../edge/validation/query-dtos.js';
import { MAX_TIME, timeOf } from '../../edge/validation/rules.js';

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

const IsTime = (): PropertyDecorator =>
  Satisfies('isTime', (value) =>
    timeOf(String(value)) === null
      ? { message: 'must be a date or a time: 2026-01-31 or 2026-01-31T12:00:00Z' }
      : null,
  );

/** `POST /deliveries/resend` */
export class ResendDto {
  @IsIn(['failed', 'stopped'])
  readonly status!: 'failed' | 'stopped';

  @MayBeOmitted()
  @IsText(MAX_TIME)
  @IsTime()
  readonly from?: string;

  @MayBeOmitted()
  @IsText(MAX_TIME)
  @IsTime()
  readonly to?: string;
}

/** Whose events are meant, ms since 1970. */
export const periodOf = ({ from, to }: ResendDto): { from?: number; to?: number } => ({
  ...(from === undefined ? {} : { from: timeOf(from) ?? 0 }),
  ...(to === undefined ? {} : { to: timeOf(to) ?? 0 }),
});

import { IsIn } from 'class-validator';
import { MayBeOmitted } from '../../edge/validation/decorators.js';
import { QueryStringDto } from '../../edge/validation/validate.js';

/** `DELETE /api-keys/{id}` */
export class RevokeQuery extends QueryStringDto {
  @MayBeOmitted()
  @IsIn(['keep', 'pause'])
  readonly tasks?: 'keep' | 'pause';
}

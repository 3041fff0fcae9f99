import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsString } from 'class-validator';
import { type ProjectId, SCOPES, type Scope } from '#domain';
import {
  Describe,
  IsName,
  MaxCharacters,
  MayBeOmitted,
  Satisfies,
} from '../../edge/validation/decorators.js';
import { MAX_TIME, type Rule, timeOf } from '../../edge/validation/rules.js';

/** A date, or a date and time with its offset from UTC; class-validator's `@IsISO8601()` takes times without one, too. */
const time: Rule = (value) =>
  timeOf(String(value)) === null
    ? { message: 'must be a date or a time: 2027-01-31 or 2027-01-31T12:00:00Z' }
    : null;

export class NewApiKeyDto {
  @IsName()
  readonly name!: string;

  @IsArray()
  @ArrayMaxSize(100)
  @ArrayNotEmpty()
  @IsIn(SCOPES, { each: true })
  readonly scopes!: readonly Scope[];

  @MayBeOmitted()
  @IsName()
  readonly project?: ProjectId;

  @MayBeOmitted()
  @IsString()
  @MaxCharacters(MAX_TIME)
  @Satisfies('isTime', time)
  @Describe({
    description: 'From then on it is as if it were revoked.',
    minLength: 1,
    examples: ['2027-01-31T12:00:00Z'],
  })
  readonly expires_at?: string;
}

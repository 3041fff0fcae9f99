import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn } from 'class-validator';
import type { NewKey } from '#access';
import { type ProjectId, SCOPES, type Scope } from '#domain';
import { Describe, IsName, IsText, MayBeOmitted, Satisfies } from '../../edge/validation/decorators.js';
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
  @IsText(MAX_TIME)
  @Satisfies('isTime', time)
  @Describe({
    description: 'From then on it is as if it were revoked.',
    minLength: 1,
    examples: ['2027-01-31T12:00:00Z'],
  })
  readonly expires_at?: string;
}

/** What is asked for, as the keys take it. */
export function newKeyOf({ name, scopes, project, expires_at }: NewApiKeyDto): NewKey {
  const expiresAt = expires_at === undefined ? null : timeOf(expires_at);
  return {
    name,
    scopes,
    ...(project === undefined ? {} : { project }),
    ...(expiresAt === null ? {} : { expiresAt }),
  };
}

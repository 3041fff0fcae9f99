import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn } from 'class-validator';
import type { NewKey } from '#access';
import { type ProjectId, SCOPES, type Scope } from '#domain';
import { Describe, IsName, IsTime, MayBeOmitted } from '../../edge/validation/decorators.js';
import { timeOf } from '../../edge/validation/rules.js';

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
  @IsTime()
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

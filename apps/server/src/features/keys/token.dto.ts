import { ArrayMaxSize, ArrayNotEmpty, IsArray, IsIn, IsInt, Max, Min } from 'class-validator';
import { TOKEN_SCOPES } from '#access';
import type { Scope, SessionId } from '#domain';
import { IsName, MayBeOmitted } from '../../edge/validation/decorators.js';

const LONGEST_S = 3600;

export class NewTokenDto {
  @MayBeOmitted()
  @IsName()
  readonly session?: SessionId;

  @IsArray()
  @ArrayMaxSize(100)
  @ArrayNotEmpty()
  @IsIn(TOKEN_SCOPES, { each: true })
  readonly scopes!: readonly Scope[];

  @IsInt()
  @Min(1)
  @Max(LONGEST_S)
  readonly expires_s!: number;
}

import { TOKEN_SCOPES } from '#access';
import type { Scope } from '#domain';
import { Optional, Required, check } from '../../edge/validation/fields.js';
import { invalidFields } from '../../edge/problems/invalid-fields.js';
import { nameText, wholeNumber } from '../../edge/validation/rules.js';
import { scopesOf } from './api-key.dto.js';

const LONGEST_S = 3600;

export class NewTokenDto {
  @Optional(nameText) readonly session?: string;
  @Required(scopesOf(...TOKEN_SCOPES)) readonly scopes!: readonly Scope[];
  @Required(wholeNumber(1, LONGEST_S)) readonly expires_s!: number;
}

/** The body of `POST /tokens`. @throws Problem invalid_request */
export function parseNewToken(body: unknown): NewTokenDto {
  const errors = check(NewTokenDto, body);
  if (errors.length > 0) throw invalidFields(errors);
  return body as NewTokenDto;
}

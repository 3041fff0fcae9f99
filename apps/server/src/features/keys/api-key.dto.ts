import { type FieldError, SCOPES, type Scope, type ProjectId } from '#domain';
import { Optional, Required, check } from '../../edge/validation/fields.js';
import { type Rule, described, listOf, nameText, oneOf, time } from '../../edge/validation/rules.js';
import { invalidFields } from '../../edge/problems/invalid-fields.js';

/** One or more of these scopes. */
export function scopesOf(...known: readonly Scope[]): Rule {
  const scopeList = listOf(oneOf(...known), 100);
  return described({ ...scopeList.schema, minItems: 1 }, (value) => {
    const fault = scopeList(value);
    if (fault !== null) return fault;
    return Array.isArray(value) && value.length === 0 ? { message: 'must not be empty' } : null;
  });
}

export class NewApiKeyDto {
  @Required(nameText) readonly name!: string;
  @Required(scopesOf(...SCOPES)) readonly scopes!: readonly Scope[];
  @Optional(nameText) readonly project?: ProjectId;
  @Optional(time) readonly expires_at?: string;
}

/** The body of `POST /api-keys`. @throws Problem invalid_request */
export function parseNewApiKey(body: unknown): NewApiKeyDto {
  const errors: readonly FieldError[] = check(NewApiKeyDto, body);
  if (errors.length > 0) throw invalidFields(errors);
  return body as NewApiKeyDto;
}

import { Problem } from '#domain';

/** Why a request is refused, in the words of the interface. */
export type Reason =
  | 'unknown_parameter'
  | 'unsupported_parameter'
  | 'unsupported_value'
  | 'invalid_value'
  | 'invalid_type'
  | 'missing_required_parameter'
  | 'mutually_exclusive_parameters'
  | 'item_not_found'
  | 'previous_response_not_found'
  | 'previous_response_not_finished'
  | 'unsupported';

/** A refusal of a field. @param param its path; null: it is about none */
export const refused = (reason: Reason, param: string | null, message: string): Problem =>
  new Problem('invalid_request', message, {
    ...(param === null ? {} : { errors: [{ path: param, message }] }),
    reason,
  });

export const modelNotFound = (model: string): Problem =>
  new Problem(
    'not_found',
    `the model ${JSON.stringify(model.slice(0, 100))} does not exist: base, flash, max`,
    {
      errors: [{ path: 'model', message: 'does not exist' }],
      reason: 'model_not_found',
    },
  );

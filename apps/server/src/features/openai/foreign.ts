import type { Scope } from '#domain';
import type { OperationTerms } from '../../edge/routes/operation.js';
import type { JsonSchema } from '../../edge/validation/rules.js';

const ANY: JsonSchema = {};

/** The terms of an operation that OpenAI's own description has. @param hasBody it takes JSON, which its handler judges */
export const foreign = (id: string, scope: Scope, hasBody = false): OperationTerms => ({
  id,
  tag: 'openai',
  summary: id,
  scope,
  isForeign: true,
  ...(hasBody ? { message: ANY } : {}),
  answers: { 200: null },
});

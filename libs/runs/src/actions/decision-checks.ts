import { Problem, invalid } from '#domain';
import type { DecisionRequest } from './decision-request.js';

/** @throws Problem unprocessable */
export function refuse(path: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const errors = faults.map((message) => ({ path, message }));
  throw new Problem('unprocessable', `${path}: ${faults.join('; ')}`, { errors });
}

/** @throws Problem invalid_request */
export function requireResult(result: DecisionRequest['result']): asserts result {
  if (result === undefined) throw invalid('result', 'is required with the decision answer');
}

/** What the agent, or the tool server, is told. */
export function resultOf({ decision, result, reason }: DecisionRequest): string {
  if (decision === 'deny')
    return `the call was not made: it was denied${reason === undefined ? '' : `: ${reason}`}`;
  if (result === undefined) return '';
  return typeof result.value === 'string' ? result.value : JSON.stringify(result.value);
}

import type { ActionDecision, FieldError } from '#domain';
import type { DecisionRequest } from '#runs';
import { invalidFields } from '../../edge/problems/invalid-fields.js';
import { either, sentName } from '../runs/shared/either.js';
import type { DecisionDto } from './decision.dto.js';

type OwnField = 'input' | 'result' | 'budget' | 'mcp_servers';

const OWN_FIELDS: Readonly<Record<OwnField, ActionDecision>> = {
  input: 'approve',
  result: 'answer',
  budget: 'raise',
  mcp_servers: 'supply',
};

/** A field that is null is there. @throws Problem invalid_request naming fields that are missing or do not fit the decision */
export function decisionRequestOf(body: DecisionDto): DecisionRequest {
  const { decision, input, result, budget, reason } = body;
  const mcpServers = either('mcp_servers', body.mcp_servers, 'mcpServers', body.mcpServers);
  const servers = sentName(body, 'mcp_servers', 'mcpServers');
  const errors = misfits(decision, { input, result, budget, mcp_servers: mcpServers }).map(
    ({ path, message }) => ({ path: path === 'mcp_servers' ? servers : path, message }),
  );
  if (errors.length > 0) throw invalidFields(errors);
  return {
    decision,
    ...(input === undefined ? {} : { input: { value: input } }),
    ...(result === undefined ? {} : { result: { value: result } }),
    ...(budget === undefined ? {} : { budget }),
    ...(mcpServers === undefined ? {} : { mcpServers }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function misfits(decision: ActionDecision, given: Readonly<Record<OwnField, unknown>>): FieldError[] {
  return Object.entries(OWN_FIELDS).flatMap(([path, owner]): FieldError[] => {
    const isGiven = given[path as OwnField] !== undefined;
    if (isGiven && owner !== decision)
      return [{ path, message: `does not belong to the decision ${decision}` }];
    // Whether a result is needed is for what was asked to say.
    const mayBeMissing = path === 'input' || path === 'result';
    const isMissing = !isGiven && owner === decision && !mayBeMissing;
    return isMissing ? [{ path, message: `is required with the decision ${decision}` }] : [];
  });
}

import { IsIn } from 'class-validator';
import type { ActionDecision } from '#domain';
import { Describe, IsText, MayBeOmitted, Satisfies } from '../../edge/validation/decorators.js';
import { LENGTHS } from '../../edge/validation/lengths.js';
import { dollarsAboveZero } from '../../edge/validation/dollars.js';
import type { Example } from '../../edge/routes/operation.js';
import { type McpServerDto, McpServerList, McpServerListAlias } from '../runs/shared/mcp-server.dto.js';

/** Bodies of `POST /actions/{id}/resolve`. */
export const DECISION_EXAMPLES: Readonly<Record<string, Example>> = {
  deny: { summary: 'Any action', value: { decision: 'deny', reason: 'not now' } },
  approve: { summary: 'An approval', value: { decision: 'approve' } },
  answer: { summary: 'A call of a tool of your own', value: { decision: 'answer', result: { found: 3 } } },
};

/** What an action is decided on: `decision`, and the field that belongs to it. */
export class DecisionDto {
  @IsIn(['approve', 'answer', 'raise', 'supply', 'deny'])
  @Describe({
    description:
      '`approve` an approval, `answer` a call of a tool of your own, `raise` a budget, `supply` tool servers, or `deny` any.',
  })
  readonly decision!: ActionDecision;

  @MayBeOmitted()
  @Describe({ description: 'Of `approve`: the call is made with this instead; any JSON.' })
  readonly input?: unknown;

  @MayBeOmitted()
  @Describe({ description: 'Of `answer`: what the call brought; any JSON, a string as it is.' })
  readonly result?: unknown;

  @MayBeOmitted()
  @Satisfies('isDollars', dollarsAboveZero)
  @Describe({ description: 'Of `raise`: what the run may cost in all, in US dollars.', examples: ['0.50'] })
  readonly budget?: string;

  @McpServerList()
  @Describe({
    description: 'Of `supply`: the servers that are asked for, as in the request of the run. Never stored.',
  })
  readonly mcp_servers?: readonly McpServerDto[];

  @McpServerListAlias()
  readonly mcpServers?: readonly McpServerDto[];

  @MayBeOmitted()
  @IsText(LENGTHS.rule)
  @Describe({ description: 'Why; the agent is told the reason of a denial.' })
  readonly reason?: string;
}

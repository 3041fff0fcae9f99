import type { McpServerConfig } from '#agent';
import type { ActionDecision } from '#domain';

/** A decision as somebody asks for it, in the form that fits it: see the fields. */
export interface DecisionRequest {
  readonly decision: ActionDecision;
  /** Of `approve`: the call is made with this instead; any JSON. Absent: as it was asked. */
  readonly input?: { readonly value: unknown };
  /** Of `answer`: any JSON, a string as it is. */
  readonly result?: { readonly value: unknown };
  /** Of `raise`: what the run may cost in all. */
  readonly budget?: string;
  /** Of `supply`: kept in memory only. */
  readonly mcpServers?: readonly McpServerConfig[];
  readonly reason?: string;
}

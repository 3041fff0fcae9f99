/** Items of responses, in the order of fields in which they are written. */
export type OutputItem =
  MessageItem | ReasoningItem | FunctionCallItem | McpCallItem | McpApprovalRequestItem;

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface OutputText {
  readonly type: 'output_text';
  readonly text: string;
  readonly annotations: readonly never[];
  readonly logprobs: readonly never[];
}

export interface MessageItem {
  readonly id: string;
  readonly type: 'message';
  readonly status: ItemStatus;
  readonly role: 'assistant';
  readonly content: readonly OutputText[];
}

export interface SummaryText {
  readonly type: 'summary_text';
  readonly text: string;
}

export interface ReasoningItem {
  readonly id: string;
  readonly type: 'reasoning';
  readonly summary: readonly SummaryText[];
  /** The context is here: there is nothing for a client to bring back. */
  readonly encrypted_content: null;
  readonly status: ItemStatus;
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: 'function_call';
  readonly status: ItemStatus;
  readonly arguments: string;
  readonly call_id: string;
  readonly name: string;
}

export interface McpCallItem {
  readonly id: string;
  readonly type: 'mcp_call';
  readonly status: ItemStatus | 'failed';
  readonly server_label: string;
  readonly name: string;
  readonly arguments: string;
  readonly output: string | null;
  readonly error: McpError | null;
  readonly approval_request_id: string | null;
}

export interface McpError {
  readonly type: 'mcp_tool_execution_error';
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
}

export interface McpApprovalRequestItem {
  readonly id: string;
  readonly type: 'mcp_approval_request';
  readonly arguments: string;
  readonly name: string;
  readonly server_label: string;
}

/** The label of the service's own tools, which are no server's. */
export const OWN_LABEL = 'annals';

export const outputText = (text: string): OutputText => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
});

export const summaryText = (text: string): SummaryText => ({ type: 'summary_text', text });

export const messageItem = (id: string, text: string | null, status: ItemStatus): MessageItem => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content: text === null ? [] : [outputText(text)],
});

export const reasoningItem = (id: string, text: string | null, status: ItemStatus): ReasoningItem => ({
  id,
  type: 'reasoning',
  summary: text === null ? [] : [summaryText(text)],
  encrypted_content: null,
  status,
});

export const mcpError = (text: string): McpError => ({
  type: 'mcp_tool_execution_error',
  content: [{ type: 'text', text }],
});

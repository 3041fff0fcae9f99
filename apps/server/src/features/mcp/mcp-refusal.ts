/** Codes of JSON-RPC (https://www.jsonrpc.org/specification, 5.1) and of MCP. */
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const MISSING_CAPABILITY = -32021;

/** A refusal as the protocol knows it: the SDK answers with the code and the data of what is thrown. */
export class McpRefusal extends Error {
  override readonly name = 'McpRefusal';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}

/** The SDK's side of the protocol. */
export type McpSdk = typeof import('@modelcontextprotocol/server');

let loading: Promise<McpSdk> | undefined;

/** Loaded when the first message comes: it takes some 30 MB, and most services are never called so. */
export const loadSdk = (): Promise<McpSdk> => (loading ??= import('@modelcontextprotocol/server'));

export { EraVerdicts } from './era-verdicts.js';
export type { McpLimits } from './limits.js';
export { type McpPorts, type McpTools, openMcpTools } from './mcp-tools.js';
export { ResultRoom, TaskNotes } from './task-notes.js';

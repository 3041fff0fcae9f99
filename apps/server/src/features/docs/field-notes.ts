import type { JsonSchema } from '../../edge/validation/rules.js';
import { GREETING } from '../runs/shared/greeting.js';

/** What the rules of a field do not say of it, by `<schema>.<field>`. */
export const FIELD_NOTES: Readonly<Record<string, JsonSchema>> = {
  'RunRequest.message': { description: 'The task.', examples: [GREETING] },
  'RunRequest.system': { description: "The system prompt, in place of the service's own." },
  'RunRequest.mode': {
    description:
      '`flash`: simple tasks, shows thinking; `base`: balanced; `max`: complex reasoning. `fast` is an old name of `base`.',
    default: 'base',
  },
  'RunRequest.rules': { description: 'Constraints that the agent obeys in every turn.' },
  'RunRequest.workflows': {
    description: 'Directed acyclic graphs of steps, offered to the agent as a tool.',
  },
  'RunRequest.agents': { description: 'Specialists to which the conversation can be handed off.' },
  'RunRequest.mcp_servers': { description: 'External tool servers. Never stored: send them each time.' },
  'RunRequest.mcpServers': { description: 'Another name of mcp_servers.', deprecated: true },
  'RunRequest.background': { description: 'Answer 202 at once and run on the server.', default: false },
  'RunRequest.callback': { description: "Receives the run's events, each in a POST of its own." },
  'RunRequest.datastores': { description: 'Knowledge that the agent may use.' },
  'RunRequest.queries': {
    description: 'Ready-made queries on the databases; `?` are parameters, always bound.',
  },
  'Query.query': { description: 'SQL with at most 100 placeholders (`?`).' },
  'RunRequest.streaming_tokens': { description: 'Text token by token, not in blocks.', default: false },
  'RunRequest.streaming': { description: 'Another name of streaming_tokens.', deprecated: true },
  'RunRequest.schedules': { description: 'Runs to be started later in this session.' },
  'RunRequest.final_output': { description: 'One more event at the end, with output that fits the schema.' },
  'RunRequest.on_busy': {
    description: 'What happens while the session has a run: wait, 409, or cancel that one.',
    default: 'enqueue',
  },
  'Schedule.schedule': {
    description: 'Seconds from now, a date (once), or a five-field cron expression (recurring).',
    examples: [3600, '0 9 * * 1-5'],
  },
  'Schedule.timezone': { description: 'IANA name, for cron expressions.', default: 'UTC' },
  'Callback.url': { examples: ['https://example.com/hook'] },
  'McpServer.serverUrl': { examples: ['https://example.com/mcp'] },
  'Metadata.connectionString': { description: 'For databases. Encrypted at rest, never shown again.' },
  'Metadata.readOnly': { description: "false lets the caller's own queries write.", default: true },
  'NewApiKey.expires_at': { description: 'From then on it is as if it were revoked.' },
  'Search.query': { minLength: 1, pattern: '\\S' },
};

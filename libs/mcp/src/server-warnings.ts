import type { RunWarning } from '#domain';
import type { McpConnection } from './mcp-connection.js';
import type { McpServerConfig } from '#agent';
import type { SecretMask } from './secret-mask.js';

/** Of tools that cannot be called, in a sentence for the agent. */
const maxNamed = 20;
const maxNameChars = 128;

/**
 * What is missing of the tools of a run's servers, for the caller and the agent. A server that is reached after all is missed no
 * more; what others offer later than at first is not told again.
 */
export class ServerWarnings {
  private known: readonly RunWarning[] = [];
  private readonly byServer: {
    readonly of: McpServerConfig;
    failure?: string | null;
    warnings: readonly RunWarning[];
  }[];

  /** @param connectionOf undefined: it has no address that it could be connected to at */
  constructor(
    servers: readonly McpServerConfig[],
    private readonly connectionOf: (server: McpServerConfig) => McpConnection | undefined,
  ) {
    this.byServer = servers.map((of) => ({ of, warnings: [] }));
  }

  /** In the order of the request. The same array for as long as nothing has changed. */
  get all(): readonly RunWarning[] {
    let hasChanged = false;
    for (const server of this.byServer) {
      const connection = this.connectionOf(server.of);
      const failure = connection === undefined ? 'has no address of http or https' : connection.failure;
      if (failure === server.failure) continue;
      hasChanged = true;
      server.failure = failure;
      server.warnings =
        failure !== null || connection === undefined
          ? [unavailable(server.of.serverName, failure ?? '')]
          : warningsOf(connection);
    }
    if (hasChanged) this.known = this.byServer.flatMap(({ warnings }) => warnings);
    return this.known;
  }

  /** What is missing of what the run cannot do without; undefined: nothing. */
  get missing(): string | undefined {
    const { all, byServer } = this;
    if (all.length === 0) return undefined;
    const left = byServer
      .flatMap(({ of, warnings }) => (of.required ? warnings : []))
      .find(({ code }) => code === 'tool_server_unavailable');
    return left === undefined ? undefined : `a required tool server cannot be used: ${left.reason}`;
  }
}

function warningsOf({
  config: { serverName },
  beyond,
  tools,
  leftOut,
  mask,
}: McpConnection): readonly RunWarning[] {
  const warnings: RunWarning[] = [];
  if (beyond !== null) {
    const reason = `The tool server "${serverName}" offers more tools than can be used; the first ${tools.length} are available.`;
    const names = beyond.map((name) => nameOf(name, mask));
    const named = names.length === 0 ? {} : { tools: names };
    warnings.push({ code: 'tools_left_out', server: serverName, reason, ...named });
  }
  for (const why of new Set(leftOut.map(({ reason }) => reason))) {
    const names = leftOut.filter(({ reason }) => reason === why).map(({ name }) => nameOf(name, mask));
    const rest = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    const named = `${names.slice(0, maxNamed).join(', ')}${rest}`;
    const reason = `Tools of the tool server "${serverName}" are not available, because ${why}: ${named}.`;
    warnings.push({ code: 'tools_left_out', server: serverName, tools: names, reason });
  }
  return warnings;
}

const nameOf = (name: string, mask: SecretMask): string => mask.cleanBeginning(name, maxNameChars);

const unavailable = (serverName: string, reason: string): RunWarning => ({
  code: 'tool_server_unavailable',
  server: serverName,
  reason: `The tool server "${serverName}" ${reason}. Its tools are not available in this run.`,
});

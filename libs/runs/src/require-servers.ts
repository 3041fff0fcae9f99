import type { McpServerConfig } from '#agent';
import { Problem } from '#domain';

/** Servers that are sent again have the names of those that a run had. @throws Problem unprocessable */
export function requireServers(names: readonly string[], servers: readonly McpServerConfig[]): void {
  const given = servers.map(({ serverName }) => serverName).toSorted();
  const isSame = names.length === given.length && names.toSorted().every((name, at) => name === given[at]);
  if (isSame) return;
  const wanted = names.length === 0 ? 'none' : names.join(', ');
  throw new Problem('unprocessable', `the tool servers must be those of the run (${wanted})`);
}

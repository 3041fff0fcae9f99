import type { ConnectionTarget } from './connection-string.js';
import type { Endpoint } from './grpc/call-error.js';

/** Where the server is: the only host, or the leader that the cluster names in its gossip, which the client's package asks. */
export async function findServer(target: ConnectionTarget): Promise<Endpoint> {
  const [host] = target.hosts;
  if (target.discovers === 'no') return host!;
  // The whole of the client's package, with its gRPC, is loaded for this alone.
  const { Gossip } = await import('./gossip.js');
  const [, address = '', port = ''] = /^(.*):(\d+)$/.exec(await new Gossip(target).leader()) ?? [];
  return { address, port: Number(port) };
}

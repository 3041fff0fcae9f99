import type { EraVerdict } from './era-verdicts.js';
import { McpFailure } from './mcp-failure.js';
import type { WirePorts } from './mcp-wire.js';
import { ModernWire } from './modern-wire.js';
import { LEGACY_VERSIONS, MODERN_VERSION, newestKnown, supportedIn } from './protocol-versions.js';
import { RPC_CODES, isRecord } from './rpc-message.js';

const maxNamed = 10;

/** What a server says of itself; no versions: nothing that this client understands. */
interface Discovered {
  readonly versions?: readonly unknown[] | undefined;
  readonly mayChangeTools: boolean;
}

/**
 * Asks a server by `server/discover` what it speaks. Silence, and whatever an older server says to a method that it does not
 * know, means that it speaks an earlier revision.
 * @throws McpFailure where it cannot be used, and when the signal is aborted
 */
export async function discoverEra(ports: WirePorts, signal: AbortSignal): Promise<EraVerdict> {
  const { versions, mayChangeTools } = await ask(ports, signal);
  if (versions?.includes(MODERN_VERSION) === true) return { era: 'modern', mayChangeTools };
  const version = versions === undefined ? LEGACY_VERSIONS[0] : newestKnown(versions);
  if (version !== undefined) return { era: 'legacy', version };
  const named = versions
    ?.slice(0, maxNamed)
    .filter((each) => typeof each === 'string')
    .join(', ');
  throw new McpFailure('refused', `speaks only versions that are not known here (${named ?? ''})`);
}

async function ask({ http, clock, limits }: WirePorts, signal: AbortSignal): Promise<Discovered> {
  const late = clock.deadline(limits.discoverMs, signal);
  try {
    const wire = new ModernWire(http, limits);
    const result = await wire.request('server/discover', {}, { signal: late.signal });
    const { supportedVersions, capabilities } = result;
    const tools = isRecord(capabilities) ? capabilities['tools'] : undefined;
    return {
      versions: Array.isArray(supportedVersions) ? (supportedVersions as unknown[]) : undefined,
      mayChangeTools: isRecord(tools) && tools['listChanged'] === true,
    };
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    const { kind, rpc } = error;
    const isUnreached = kind === 'unsent' && !late.signal.aborted;
    const isModernRefusal =
      rpc?.code === RPC_CODES.headerMismatch || rpc?.code === RPC_CODES.missingCapability;
    if (signal.aborted || isUnreached || isModernRefusal) throw error;
    const isAboutVersions = rpc?.code === RPC_CODES.unsupportedVersion;
    return { versions: isAboutVersions ? supportedIn(rpc?.data) : undefined, mayChangeTools: false };
  } finally {
    late[Symbol.dispose]();
  }
}

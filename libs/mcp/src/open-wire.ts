import type { EraVerdict } from './era-verdicts.js';
import { McpFailure } from './mcp-failure.js';
import type { McpSession, SessionKind } from './mcp-session.js';
import type { WirePorts } from './mcp-wire.js';
import { ModernWire } from './modern-wire.js';
import { LEGACY_VERSIONS, type LegacyVersion, newestKnown, versionsIn } from './protocol-versions.js';

/** Begins to speak with a server as the verdict says. @throws McpFailure also when the signal is aborted */
export async function openWire(
  verdict: EraVerdict,
  ports: WirePorts,
  signal: AbortSignal,
): Promise<ModernWire | McpSession> {
  if (verdict.era === 'legacy') return openLegacy(verdict.version, ports, signal);
  const wire = new ModernWire(ports.http, ports.limits);
  if (verdict.mayChangeTools) wire.listen(ports.clock, ports.onToolsChanged);
  return wire;
}

/** The SDK and what it brings are loaded for the first server of an earlier revision: many processes never need them. */
export async function openSession(
  kind: SessionKind,
  version: LegacyVersion,
  ports: WirePorts,
  signal: AbortSignal,
): Promise<McpSession> {
  const { McpSession } = await import('./mcp-session.js');
  return McpSession.open(kind, version, ports, signal);
}

/** Servers of before 2025-03-26 refuse to be asked by POST at the address of their stream. */
async function openLegacy(
  version: LegacyVersion,
  ports: WirePorts,
  signal: AbortSignal,
): Promise<McpSession> {
  try {
    return await openAnyVersion('streamable', version, ports, signal);
  } catch (error) {
    if (!(error instanceof McpFailure) || !isForOlder(error)) throw error;
    // Two refusals: the first is of the transport that is meant.
    return await openAnyVersion('sse', LEGACY_VERSIONS[0], ports, signal).catch((second: McpFailure) => {
      throw second.kind === 'refused' ? error : second;
    });
  }
}

/** A refusal that says what the server speaks is followed by that, once. */
async function openAnyVersion(
  kind: SessionKind,
  version: LegacyVersion,
  ports: WirePorts,
  signal: AbortSignal,
): Promise<McpSession> {
  try {
    return await openSession(kind, version, ports, signal);
  } catch (error) {
    if (!(error instanceof McpFailure) || error.kind !== 'refused') throw error;
    const other = newestKnown(versionsIn(error).filter((named) => named !== version));
    if (other === undefined) throw error;
    return openSession(kind, other, ports, signal);
  }
}

/** 401 and 403 mean the caller, 429 the moment; all others may mean that it does not know this way of asking. */
const isForOlder = (failure: McpFailure): boolean =>
  failure.status !== undefined && failure.status >= 400 && failure.status < 500 && !isOfCaller(failure);

/** It says nothing of what the server speaks, only that this caller, or this moment, will not do. */
export const isOfCaller = ({ status }: McpFailure): boolean =>
  status !== undefined && [401, 403, 407, 408, 429].includes(status);

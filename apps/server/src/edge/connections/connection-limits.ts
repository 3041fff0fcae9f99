import { readFileSync } from 'node:fs';
import type { Logger, Settings } from '#platform';

/** Of the files that the system lets this process open, the part that connections may be; the rest is for everything else. */
const PART_OF_FILES = 0.8;

export type ConnectionLimits = Pick<Settings, 'maxConnections' | 'maxConnectionsPerAddress'>;

/** What is set, or less where the system would not let the process have so many. */
export function connectionLimits(settings: ConnectionLimits, logger: Logger): ConnectionLimits {
  const { maxConnections, maxConnectionsPerAddress } = settings;
  const files = maxOpenFiles();
  const possible = Math.floor(files * PART_OF_FILES);
  if (possible >= maxConnections) return { maxConnections, maxConnectionsPerAddress };
  logger.warn({ files, connections: possible }, 'fewer connections than MAX_CONNECTIONS: see ulimit -n');
  return { maxConnections: possible, maxConnectionsPerAddress };
}

/** The soft limit, which Node has raised to the hard one. Unknown but on Linux. */
function maxOpenFiles(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}

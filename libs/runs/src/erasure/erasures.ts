import { sessionOfStream, type SessionId } from '#domain';
import type { ContentKeys, RecordedEvent } from '#event-log';
import { ErasureFollower, type ErasureFollowerPorts, type FileStore } from '#vault';

export interface ErasurePorts extends ErasureFollowerPorts {
  readonly keys: ContentKeys;
  readonly files: FileStore;
  /** Whatever knows something of sessions besides the log. */
  readonly knowing: readonly { forget(session: SessionId): void }[];
  /** Erasures of other replicas are not carried out any more. */
  readonly onFatal: (error: unknown) => void;
}

/**
 * Carries out what `session_erased` says, in every replica: destroys the key, which takes all copies with it that are in
 * memory, and removes the files.
 */
export class Erasures {
  private readonly follower: ErasureFollower;

  constructor(private readonly ports: ErasurePorts) {
    const carryOut = (event: RecordedEvent) => event.type === 'session_erased' && this.erase(event);
    const { onFatal } = ports;
    this.follower = new ErasureFollower(
      { name: 'erasures', kind: 'sessions', prefixes: ['session-'], carryOut, onFatal },
      ports,
    );
  }

  start(): void {
    this.follower.start();
  }

  stop(): Promise<void> {
    return this.follower.stop();
  }

  /** When this resolves nothing of the session can be read any more. @throws LogUnavailable */
  async carryOut(session: SessionId, key: string | null): Promise<void> {
    if (session === '') return;
    if (key !== null) await this.ports.keys.destroy(key);
    for (const knowing of this.ports.knowing) knowing.forget(session);
    await this.ports.files.remove(session);
  }

  private async erase({ stream, data }: RecordedEvent): Promise<boolean> {
    const session = sessionOfStream(stream);
    if (session !== null) await this.carryOut(session, (data as { readonly key?: string }).key ?? null);
    return true;
  }
}

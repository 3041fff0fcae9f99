import type { KafkaMessage } from 'kafkajs';

/** A record of `annals.commands`. */
export interface KafkaCommand {
  /** Names it for good: `annals.commands/<partition>/<offset>`. */
  readonly place: string;
  /** The producer's, ms since 1970. */
  readonly timestamp: string;
  /**
   * What identifies the command: the header `idempotency-key`, or else the record's key; several headers as they are.
   * null: neither is there.
   */
  readonly idempotencyKey: string | string[] | null;
  /** null: an empty record. */
  readonly value: Buffer | null;
}

export type CommandOutcome =
  /** A run was started, or was there already. */
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'rejected';
      /** The problem, as JSON text. */
      readonly problem: string;
      /** Of the command, what may be stored again. */
      readonly value: Buffer | null;
    }
  /** Nothing is wrong with the command: ask again. */
  | { readonly kind: 'later'; readonly detail: string };

/** Port: what a command is given to. It must not throw for anything that is the command's fault. */
export abstract class CommandHandler {
  abstract handle(command: KafkaCommand): Promise<CommandOutcome>;
  /** The outcome of a command that `handle` threw at, several times. */
  abstract giveUp(command: KafkaCommand, error: unknown): CommandOutcome;
}

const KEY_HEADER = 'idempotency-key';

export function commandOf(topic: string, partition: number, message: KafkaMessage): KafkaCommand {
  const { key, value, offset, timestamp, headers } = message;
  const given = headers?.[KEY_HEADER];
  return {
    place: `${topic}/${partition}/${offset}`,
    timestamp,
    idempotencyKey: Array.isArray(given) ? given.map(textOf) : textOf(given) || textOf(key) || null,
    value,
  };
}

/** Bytes that are no text identify as well: each byte becomes a character. */
const textOf = (bytes: Buffer | string | null | undefined): string =>
  typeof bytes === 'string' ? bytes : (bytes?.toString('latin1') ?? '');

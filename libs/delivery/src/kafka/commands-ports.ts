import type { Background, Clock, CountedWork, Logger, Random } from '#platform';
import type { CommandHandler } from './kafka-command.js';

/** Dependencies of the Kafka command consumer. */
export interface CommandsPorts {
  readonly handler: CommandHandler;
  readonly clock: Clock;
  readonly random: Random;
  readonly background: Background;
  readonly logger: Logger;
  readonly counted: CountedWork;
  /** Bytes of the largest command, for the topic that is made where it is missing. */
  readonly maxCommandBytes: number;
}

import type { CommandsPorts } from './commands-ports.js';
import type { KafkaConnection } from './kafka-client.js';
import type { KafkaCommands } from './kafka-commands.js';
import type { KafkaPublisher, PublisherPorts } from './kafka-publisher.js';

/** Connects nothing yet. kafkajs is loaded in this file and nowhere else. */
export async function openKafkaPublisher(
  connection: KafkaConnection,
  ports: PublisherPorts,
): Promise<KafkaPublisher> {
  const { KafkaPublisher } = await import('./kafka-publisher.js');
  return new KafkaPublisher(connection, ports);
}

/** Connects nothing yet. */
export async function openKafkaCommands(
  connection: KafkaConnection,
  ports: CommandsPorts,
): Promise<KafkaCommands> {
  const { KafkaCommands } = await import('./kafka-commands.js');
  return new KafkaCommands(connection, ports);
}

import {
  type CommandsPorts,
  type CommandsStatus,
  type KafkaCommands,
  type KafkaPublisher,
  openKafkaCommands,
  openKafkaPublisher,
  type PublisherPorts,
  type PublisherStatus,
} from '#delivery';
import type { Settings } from '#platform';
import type { Check } from '../edge/probes/health-checks.js';
import type { Replicas } from './replicas/replicas.js';
import { RunCommandHandler, type RunCommandPorts } from '../features/runs/kafka/run-command-handler.js';

export interface KafkaStatus {
  readonly publisher: PublisherStatus;
  /** null: no commands are consumed. */
  readonly commands: CommandsStatus | null;
}

/** The service's side of Kafka. What is started here is started and stopped by whoever put it together. */
export interface KafkaLink {
  /** For one process of a log at a time. */
  readonly publisher: KafkaPublisher;
  /** For every process with the role `relay`; null: no project is named that commands act in. */
  readonly commands: KafkaCommands | null;
  /** For metrics. */
  status(): Promise<KafkaStatus>;
  /** For `/readyz`: it never makes the service unready. */
  check(): Promise<Check>;
}

export type KafkaPorts = Omit<PublisherPorts, 'publicUrl'> & RunCommandPorts & Pick<CommandsPorts, 'counted'>;

type KafkaSettings = Pick<
  Settings,
  'kafkaBrokers' | 'kafkaSsl' | 'kafkaSasl' | 'kafkaCommandsProject' | 'maxBodyBytes' | 'publicUrl'
>;

/** Connects nothing yet. null: KAFKA_BROKERS is not set. */
export async function openKafka(settings: KafkaSettings, ports: KafkaPorts): Promise<KafkaLink | null> {
  const { kafkaBrokers: brokers, kafkaSsl: ssl, kafkaSasl: sasl, kafkaCommandsProject: project } = settings;
  if (brokers.length === 0) return null;
  const connection = { brokers, ssl, sasl };
  const publisher = await openKafkaPublisher(connection, { ...ports, publicUrl: settings.publicUrl });
  const { maxBodyBytes } = settings;
  const commands =
    project === null
      ? null
      : await openKafkaCommands(connection, {
          ...ports,
          handler: new RunCommandHandler(ports, { project, maxBodyBytes }),
          maxCommandBytes: maxBodyBytes,
        });
  const status = async (): Promise<KafkaStatus> => ({
    publisher: await publisher.status(),
    commands: commands?.status() ?? null,
  });
  return { publisher, commands, status, check: async () => checkOf(await status()) };
}

/**
 * Puts it to work: events are published by one replica at a time, commands are shared by Kafka itself. Returns what stops
 * the taking of commands; the publisher ends with the other parts.
 */
export function startKafka(kafka: KafkaLink, replicas: Replicas): () => Promise<void> {
  replicas.add('kafka', () => kafka.publisher);
  kafka.commands?.start();
  return async () => kafka.commands?.stop();
}

/** Whether a side of Kafka works, or is left to another replica. */
export const isWell = ({ state }: Pick<PublisherStatus | CommandsStatus, 'state'>): boolean =>
  state !== 'failing' && state !== 'connecting';

function checkOf({ publisher, commands }: KafkaStatus): Check {
  const name = 'kafka';
  const isRequired = false;
  const parts = [
    { part: 'events', ...publisher },
    ...(commands === null ? [] : [{ part: 'commands', ...commands }]),
  ];
  const wrong = parts.filter((part) => !isWell(part));
  if (wrong.length === 0) return { name, isOk: true, isRequired };
  const detail = wrong.map(({ part, state, detail }) => `${part}: ${detail ?? state}`).join('; ');
  return { name, isOk: false, isRequired, detail };
}

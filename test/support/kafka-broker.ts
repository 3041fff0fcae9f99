import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kafkaClasspath, missingForKafka } from './kafka/classpath.js';
import { freePorts } from './free-port.js';
import { PATIENCE_MS } from './until.js';

export const KAFKA_USER = { username: 'annals', password: 'the-password-of-annals' } as const;
const STORE_PASSWORD = 'changeit-changeit';
const SCRAM = ['SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** Whether the tests of Kafka can run; says why not. @throws Error in CI, where they have to */
export function hasKafka(): boolean {
  const missing = missingForKafka();
  if (missing === null) return true;
  if (process.env['CI'] === 'true') throw new Error(`CI needs Java and Maven: ${missing}`);
  console.warn(`${missing}: the tests of Kafka are skipped`);
  return false;
}

/** No broker outlives the process that has started it. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface BrokerOptions {
  /** A second listener with TLS and SASL, whose certificate is in `certificate`. */
  readonly isSecured?: boolean;
  /** Settings of the broker beside its own. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** A real Apache Kafka, broker and controller in one process, on free ports and with a folder of its own. */
export class KafkaBroker {
  private child: ChildProcess | null = null;
  private said = '';

  private constructor(
    private readonly folder: string,
    private readonly classpath: string,
    readonly port: number,
    readonly securePort: number,
  ) {}

  static async start(options: BrokerOptions = {}): Promise<KafkaBroker> {
    const classpath = kafkaClasspath();
    const folder = mkdtempSync(join(tmpdir(), 'annals-kafka-'));
    const [port, securePort, controllerPort] = await freePorts(3);
    const broker = new KafkaBroker(folder, classpath, port ?? 0, securePort ?? 0);
    try {
      broker.format(controllerPort ?? 0, options);
      await broker.launch();
      return broker;
    } catch (error) {
      await broker.stop();
      throw error;
    }
  }

  /** For KAFKA_BROKERS. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get secureAddress(): string {
    return `localhost:${this.securePort}`;
  }

  /** PEM file of the certificate of the secured listener. */
  get certificate(): string {
    return join(this.folder, 'certificate.pem');
  }

  /** Resolves when the process is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** Sends a signal and does not wait: SIGSTOP, SIGCONT. */
  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  /** Starts it, or again after a kill, and waits until it takes connections. */
  async launch(): Promise<void> {
    if (this.child !== null) return;
    const options = ['-Xms96m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
    const child = spawn('java', [...options, '-cp', this.classpath, 'kafka.Kafka', this.propertiesFile], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: this.folder,
    });
    running.add(child);
    this.child = child;
    const hear = (text: string): void => void (this.said = (this.said + text).slice(-20_000));
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    child.once('exit', () => {
      running.delete(child);
      if (this.child === child) this.child = null;
    });
    for (const late = Date.now() + PATIENCE_MS; !(await accepts(this.port)); await sleep(50)) {
      if (this.child === null || Date.now() > late)
        throw new Error(`Kafka does not start:\n${this.said.slice(-4_000)}`);
    }
  }

  async stop(): Promise<void> {
    await this.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  private get propertiesFile(): string {
    return join(this.folder, 'server.properties');
  }

  private format(controllerPort: number, { isSecured = false, properties = {} }: BrokerOptions): void {
    mkdirSync(join(this.folder, 'data'));
    if (isSecured) makeCertificate(this.folder);
    const all = { ...this.settings(controllerPort, isSecured), ...properties };
    const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    writeFileSync(this.propertiesFile, lines.join('\n'));
    const { username, password } = KAFKA_USER;
    const users = isSecured
      ? SCRAM.flatMap((of) => ['--add-scram', `${of}=[name=${username},password=${password}]`])
      : [];
    // One that begins with a dash, as 1 of 64 would, the tool takes for an option.
    const cluster = Buffer.from([0, ...randomBytes(15)]).toString('base64url');
    const format = ['format', '-t', cluster, '-c', this.propertiesFile, ...users];
    execFileSync(
      'java',
      ['-XX:TieredStopAtLevel=1', '-cp', this.classpath, 'kafka.tools.StorageTool', ...format],
      { stdio: 'pipe' },
    );
  }

  private settings(controllerPort: number, isSecured: boolean): Record<string, string> {
    const listeners = [`PLAIN://127.0.0.1:${this.port}`];
    if (isSecured) listeners.push(`SECURE://localhost:${this.securePort}`);
    return {
      'process.roles': 'broker,controller',
      'node.id': '1',
      'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
      'controller.listener.names': 'CONTROLLER',
      'inter.broker.listener.name': 'PLAIN',
      listeners: [...listeners, `CONTROLLER://127.0.0.1:${controllerPort}`].join(','),
      'advertised.listeners': listeners.join(','),
      'listener.security.protocol.map': 'PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL',
      'log.dirs': join(this.folder, 'data'),
      'auto.create.topics.enable': 'false',
      // One that was killed is taken for alive so long, and cannot come back before.
      'broker.session.timeout.ms': '1000',
      'broker.heartbeat.interval.ms': '200',
      'group.initial.rebalance.delay.ms': '0',
      'offsets.topic.num.partitions': '1',
      'offsets.topic.replication.factor': '1',
      'transaction.state.log.num.partitions': '1',
      'transaction.state.log.replication.factor': '1',
      'transaction.state.log.min.isr': '1',
      'share.coordinator.state.topic.num.partitions': '1',
      'share.coordinator.state.topic.replication.factor': '1',
      'share.coordinator.state.topic.min.isr': '1',
      ...(isSecured ? securedSettings(this.folder) : {}),
    };
  }
}

function securedSettings(folder: string): Record<string, string> {
  const { username, password } = KAFKA_USER;
  const modules = 'org.apache.kafka.common.security';
  return {
    'sasl.enabled.mechanisms': ['PLAIN', ...SCRAM].join(','),
    'ssl.keystore.location': join(folder, 'keys.p12'),
    'ssl.keystore.password': STORE_PASSWORD,
    'ssl.keystore.type': 'PKCS12',
    'listener.name.secure.plain.sasl.jaas.config': `${modules}.plain.PlainLoginModule required user_${username}="${password}";`,
    'listener.name.secure.scram-sha-256.sasl.jaas.config': `${modules}.scram.ScramLoginModule required;`,
    'listener.name.secure.scram-sha-512.sasl.jaas.config': `${modules}.scram.ScramLoginModule required;`,
  };
}

/** A key that signs its own certificate, for localhost. */
function makeCertificate(folder: string): void {
  const store = ['-keystore', join(folder, 'keys.p12'), '-storetype', 'PKCS12', '-storepass', STORE_PASSWORD];
  const name = ['-alias', 'broker', '-dname', 'CN=localhost', '-ext', 'SAN=dns:localhost,ip:127.0.0.1'];
  const key = ['-keyalg', 'RSA', '-keysize', '2048', '-validity', '2'];
  execFileSync('keytool', ['-genkeypair', ...store, ...name, ...key], { stdio: 'pipe' });
  const certificate = join(folder, 'certificate.pem');
  execFileSync('keytool', ['-exportcert', '-rfc', '-alias', 'broker', ...store, '-file', certificate], {
    stdio: 'pipe',
  });
  if (!readFileSync(certificate, 'utf8').includes('BEGIN CERTIFICATE')) throw new Error('no certificate');
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const end = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}

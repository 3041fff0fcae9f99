import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** The connections that a running process begins, as the kernel is asked for them (Linux, strace). */
export class ConnectTrace {
  private constructor(
    private readonly strace: ChildProcess,
    private readonly file: string,
  ) {}

  /** From when this resolves on, with all threads and children of the process. @param file where strace writes */
  static async of(pid: number, file: string): Promise<ConnectTrace> {
    const flags = ['-f', '-e', 'trace=connect,sendto,sendmsg', '-o', file, '-p', String(pid)];
    const strace = spawn('strace', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    await new Promise<void>((attached, failed) => {
      strace.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (/attached/.test(said)) attached();
      });
      strace.once('close', () => failed(new Error(`strace ended: ${said}`)));
    });
    return new ConnectTrace(strace, file);
  }

  /** Ends it. The ports of the internet addresses that were connected or sent to, each once. */
  async ports(): Promise<Set<number>> {
    const closed = once(this.strace, 'close');
    this.strace.kill('SIGINT');
    await closed;
    const found = readFileSync(this.file, 'utf8').matchAll(/sin6?_port=htons\((\d+)\)/g);
    return new Set(Array.from(found, ([, port]) => Number(port)));
  }
}

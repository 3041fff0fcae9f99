import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** `workerData` of a thread. */
export interface ThreadData<Options> {
  readonly options: Options;
  readonly port: MessagePort;
}

export interface ThreadListener<Reply> {
  reply(message: Reply): void;
  /** The thread has exited. Called once. */
  ended(reason: string): void;
}

export interface Thread {
  readonly port: MessagePort;
  readonly terminate: () => Promise<unknown>;
}

/** Starts a worker thread, and listens to it. */
export function startThread<Options, Reply>(
  thread: { readonly program: URL; readonly name: string; readonly maxYoungGenerationSizeMb: number },
  options: Options,
  listener: ThreadListener<Reply>,
): Thread {
  const { port1, port2 } = new MessageChannel();
  const { program, name, maxYoungGenerationSizeMb } = thread;
  const worker = new Worker(program, {
    workerData: { options, port: port2 } satisfies ThreadData<Options>,
    transferList: [port2],
    name,
    resourceLimits: { maxYoungGenerationSizeMb },
  });
  let reason = 'it ended';
  port1.on('message', (message: Reply) => listener.reply(message));
  worker.on('error', (error: unknown) => {
    reason = error instanceof Error ? error.message : String(error);
  });
  worker.on('exit', () => {
    // Its last words may still be in the port.
    for (let last = receiveMessageOnPort(port1); last !== undefined; last = receiveMessageOnPort(port1))
      listener.reply(last.message as Reply);
    port1.close();
    listener.ended(reason);
  });
  return { port: port1, terminate: () => worker.terminate() };
}

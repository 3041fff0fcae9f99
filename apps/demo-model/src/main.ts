import { startDemoModel } from './demo-model.js';

// Runs the demo model alone: HOST and PORT say where.
const host = process.env['HOST'] ?? '127.0.0.1';
const model = await startDemoModel({ host, port: Number(process.env['PORT'] ?? 8080) });
process.stdout.write(`demo model listens on ${model.url}\n`);
const stop = () => void model.close();
process.once('SIGTERM', stop).once('SIGINT', stop);

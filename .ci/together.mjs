// `node .ci/together.mjs check:format check:lint …`: runs these npm scripts at the same time, shows what each of them said, and
// fails where one did.
import { execFile } from 'node:child_process';

const run = (script) =>
  new Promise((resolve) => {
    execFile('npm', ['run', '-s', script], { maxBuffer: Infinity }, (error, out, err) => {
      process.stdout.write(out + err);
      if (error !== null) console.error(`${script} failed`);
      resolve(error === null);
    });
  });

const passed = await Promise.all(process.argv.slice(2).map(run));
if (passed.includes(false)) process.exitCode = 1;

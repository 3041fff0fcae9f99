/** `annals start`: the module starts as it is loaded, and the process lives until it is told to stop. */
export async function run(): Promise<null> {
  await import('../main.js');
  return null;
}

/** The file is inconsistent: somebody has changed it. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

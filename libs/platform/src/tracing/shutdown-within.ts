/** Flushes and shuts down an exporter within a time limit; failures are ignored. */
export async function shutdownWithin(ms: number, provider: { shutdown(): Promise<void> }): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
  clearTimeout(timer);
}

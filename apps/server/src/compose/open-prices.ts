import { readFile } from 'node:fs/promises';
import { PriceList, readPrices } from '#agent';
import { type Logger, SettingsRefused } from '#platform';

/** The price list, the operator's before the built-in one. @throws SettingsRefused */
export async function openPrices(file: string | null, logger: Logger): Promise<PriceList> {
  const onUnpriced = (model: string): void =>
    logger.warn({ model }, 'there is no price of this model: its calls count as unpriced (MODEL_PRICES)');
  if (file === null) return new PriceList({}, onUnpriced);
  try {
    return new PriceList(readPrices(await readFile(file, 'utf8')), onUnpriced);
  } catch (error) {
    throw new SettingsRefused(`MODEL_PRICES: ${error instanceof Error ? error.message : String(error)}`);
  }
}

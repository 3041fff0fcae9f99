export { type Extraction, Extractor, type PassageBatch, type Reading, ReadersBusy } from './extractor.js';
export { type Passage } from './passage.js';
export { type ExtractorLimits, ProcessExtractor } from './process-extractor.js';
export { unsupportedFormat } from './unsupported-format.js';

export * from './openai-model-client.js';

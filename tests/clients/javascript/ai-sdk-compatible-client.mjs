import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { runAiSdk } from './ai-sdk-scenarios.mjs'
import { baseURL } from './scenario.mjs'

await runAiSdk((apiKey, model) => createOpenAICompatible({ name: 'touchstone', baseURL, apiKey })(model))

import { createOpenAI } from '@ai-sdk/openai'
import { runAiSdk } from './ai-sdk-scenarios.mjs'
import { baseURL } from './scenario.mjs'

await runAiSdk((apiKey, model) => createOpenAI({ baseURL, apiKey }).chat(model))

import { createOpenAI } from '@ai-sdk/openai'
import { generateImage, generateSpeech, transcribe } from 'ai'
import { runAiSdk } from './ai-sdk-scenarios.mjs'
import { baseURL, KEY, SLOW_MODEL } from './scenario.mjs'

const provider = createOpenAI({ baseURL, apiKey: KEY })

await runAiSdk((apiKey, model) => createOpenAI({ baseURL, apiKey }).chat(model), {
  image: async () => {
    const { image } = await generateImage({ model: provider.image('vendorc-4o'), prompt: 'a harbor', size: '512x512' })
    return Buffer.from(image.uint8Array).toString('latin1', 1, 4)
  },
  audio: async () => {
    const speech = { model: provider.speech('vendorc-4o'), text: 'The rain has stopped.', voice: 'alloy' }
    const { audio } = await generateSpeech(speech)
    return (await transcribe({ model: provider.transcription(SLOW_MODEL), audio: audio.uint8Array })).text
  },
})

import { expect, test } from 'vitest'
import { InvalidDocumentError } from './documents.ts'
import { renderReport } from './render-files.ts'
import { SAMPLE_PROVE } from './testing/sample-prove.ts'

test.each(['junit', 'markdown', 'badge'] as const)('rejects the format %s for a document of prove', async (format) => {
  await expect(renderReport(SAMPLE_PROVE, format)).rejects.toThrow(
    new InvalidDocumentError(`a document of prove cannot be converted to ${format}: use --format html`),
  )
})

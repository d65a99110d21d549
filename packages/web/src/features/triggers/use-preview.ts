import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Input, Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'

const pauseMs = 300

/** What the server makes of a trigger as it is typed. */
export function usePreview(input: Input<'triggers.preview'>): UseQueryResult<Result<'triggers.preview'>> {
  const text = JSON.stringify(input)
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return useRead('triggers.preview', JSON.parse(settled))
}

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import './app.css'

const root = document.getElementById('app')
if (!root) throw new Error('the page has no element #app')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)

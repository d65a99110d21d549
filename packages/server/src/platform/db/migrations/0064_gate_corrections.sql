-- Finds the latest decision of a gate about an artifact, however many there are.
create index gate_decisions_by_correction on gate_decisions (artifact_url, gate, id desc);

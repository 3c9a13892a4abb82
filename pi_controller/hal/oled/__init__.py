"""The local status display. The only folder that imports luma."""
